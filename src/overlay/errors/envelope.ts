import type { ServiceRoot } from '../../generated/routes.ts';

/** Code, message and request id of a failure, read from any form in which the service or a gateway sends one. */
export interface Envelope {
  readonly code: string | undefined;
  readonly message: string;
  readonly place?: RefusedField | undefined;
  readonly requestId: string | undefined;
  /** True for an HTML page, or bytes that are not text, instead of a reply. */
  readonly isPage?: boolean;
}

/** The field that a failure is about, for instance `messages[0].role`, and how many more errors its list has. */
export interface RefusedField {
  readonly param: string;
  readonly more: number;
}

/** The operation and response that failed. */
export interface FailureSource {
  readonly operation: string;
  readonly surface: ServiceRoot;
  readonly status: number;
  readonly requestId: string | undefined;
  readonly retryAfter?: number | undefined;
  /** Time of the reply by the service's clock. Default: by this machine's. */
  readonly now?: number | undefined;
  /** Root and path of the operation, with the names of parameters instead of their values. Undefined for a line of a batch. */
  readonly url?: string | undefined;
  /** Root of the operation, as it was asked. Empty for a path outside the spec. */
  readonly root?: string | undefined;
  /** The request's body, if it is JSON. It is never quoted. */
  readonly body?: string | undefined;
  /** Keys and header values to redact from the service's text. */
  readonly secrets: readonly string[];
}
