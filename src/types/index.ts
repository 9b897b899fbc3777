/** Every type of the wire, as the spec has it: entry `modelsvc/types`. `modelsvc` exports those that guides and methods name most. */
export type * from '../generated/types.ts';
