/** Code, message and request id of a failure, read from any form in which the service or a gateway sends one. */
export interface Envelope {
  readonly code: string | undefined;
  readonly message: string;
  readonly requestId: string | undefined;
  /** True for an HTML page in place of a reply. */
  readonly isPage?: boolean;
}
