// A type that makes a value read-only at every depth, since data read from an event must stay as recorded.
export type ReadonlyDeep<Value> = Value extends (infer Item)[]
  ? readonly ReadonlyDeep<Item>[]
  : Value extends object
    ? { readonly [Key in keyof Value]: ReadonlyDeep<Value[Key]> }
    : Value;
