// The one generated file that the command line reads: help and completion name models, and load no file of the library.
export { currentModels, defaultModels } from '../../generated/model-ids.ts';
