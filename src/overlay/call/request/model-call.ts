// The seam of `fallback`: a client sends a call to several models, a single service cannot, so that its bundle has no catalogue.
import type { Route } from '../../../generated/routes.ts';
import type { CallContext } from '../../context.ts';
import type { Settings } from '../settings/settings.ts';
import type { CallInput } from './build-call.ts';
import type { Sender } from './call.ts';

/** A call that can be made for another model. */
export interface CallForModels {
  readonly settings: Settings;
  readonly route: Route;
  readonly operation: string;
  readonly context: CallContext;
  /** The request of the caller for a model. May throw a Problem. */
  withModel(model: string): CallInput;
}

/** Makes the sender of a call with a `fallback`. */
export type MakeSender = (asked: CallForModels) => Sender;
