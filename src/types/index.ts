/** Every type of the wire, as the spec has it, and the roots of the service with their paths: entry `modelsvc/types`. `modelsvc` exports those that guides and methods name most. */
export { pathsOn as servicePaths, roots as serviceRoots } from '../generated/roots.ts';
export type * from '../generated/types.ts';
