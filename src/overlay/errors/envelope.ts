/** The service's account of a failure, from whichever of its five envelopes. */
export interface Envelope {
  readonly code: string | undefined;
  readonly message: string;
  readonly requestId: string | undefined;
}
