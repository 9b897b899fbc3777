/** Code, message and request id of a failure, read from any of the service's five envelopes. */
export interface Envelope {
  readonly code: string | undefined;
  readonly message: string;
  readonly requestId: string | undefined;
}
