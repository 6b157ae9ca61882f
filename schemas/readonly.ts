// A type of which nothing can be changed, however deep it lies: what was read from an event stays as it was recorded.
export type ReadonlyDeep<Value> = Value extends (infer Item)[]
  ? readonly ReadonlyDeep<Item>[]
  : Value extends object
    ? { readonly [Key in keyof Value]: ReadonlyDeep<Value[Key]> }
    : Value;
