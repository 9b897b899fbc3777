/**
 * Whether a call is billed. `no`: each attempt was refused or not sent, or the operation is free. `maybe`: an attempt was sent, and its answer was
 * lost, cut off, unreadable or left. `yes`: it was answered.
 */
export type Billed = 'no' | 'maybe' | 'yes';

/** Parts of a message in addition to its summary. */
export interface MessageParts {
  /** Name of the operation, at the start of the message. */
  readonly operation?: string | undefined;
  /** Default: none. */
  readonly advice?: string | undefined;
  /** Default: false. */
  readonly seeCause?: boolean | undefined;
}

/** Stage at which a request failed. `socket`: it waited for a free socket and was not sent, see `Config.maxSockets`. */
export type ConnectionPhase = 'socket' | 'connect' | 'tls' | 'request' | 'headers' | 'body';

/** Details of a request that failed before its response was complete. */
export interface ConnectionFailure extends MessageParts {
  readonly operation: string;
  readonly phase: ConnectionPhase;
  /** True if part of the response had arrived. Default: false. */
  readonly replied?: boolean | undefined;
  /** The platform's code, for instance `ECONNREFUSED`. */
  readonly code?: string | undefined;
  readonly cause?: unknown;
  /** Id of the request, if the response header had arrived. */
  readonly requestId?: string | undefined;
  /** Attempts made, the first included. Default: 1. */
  readonly attempts?: number | undefined;
}

/** The message of an error. Advice that begins with a lowercase letter continues the sentence; other advice follows after a period. */
export function messageOf(summary: string, { operation = '', advice = '', seeCause = false }: MessageParts): string {
  const start = `${operation === '' ? '' : `${operation}: `}${summary}${seeCause ? ' (see cause)' : ''}`;
  return advice === '' ? start : `${start}${/^[a-z]/.test(advice) ? '; ' : '. '}${advice}`;
}
