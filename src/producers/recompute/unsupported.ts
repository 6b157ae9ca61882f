// Numbers of a recorded run that follow from nothing else in its record: whoever can write the ledger can change one of them,
// and no recomputation notices. docs/trust.md lists them with the reason.

/** Fields of the data of events, by type; what is below a field belongs to it. Of `measured`, nothing is computed again. */
export const unsupportedFields: Readonly<Record<string, readonly string[]>> = {
  RunClaimed: ['fencingToken', 'leaseSeconds'],
  RunTakenOver: ['fencingToken'],
  AttemptFinished: ['fencingToken', 'place'],
  RunStarted: ['options.contextTokens'],
  RolloutRecorded: [
    'agentSteps',
    'task.facts',
    'metrics.entropy',
    'metrics.logProbability',
    'metrics.value',
    'tokens',
    'cost',
  ],
  TrainingRecorded: ['curve[].values.kl', 'learningSignal[].kl'],
  ArmTrained: ['curve[].values.kl', 'learningSignal[].kl'],
  ProposalRecorded: ['predictions', 'sample'],
  ArmProposed: ['predictions', 'sample', 'engineer.checkpoint'],
};
