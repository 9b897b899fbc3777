/** Parts of a message beside its summary. */
export interface MessageParts {
  /** Name of the operation, at the start of the message. */
  readonly operation?: string | undefined;
  /** Default: none. */
  readonly advice?: string | undefined;
  /** Default: false. */
  readonly seeCause?: boolean | undefined;
}

/** Stage of the request at which it failed. `socket`: while it waited for one, see `Config.maxSockets`; it was not sent. */
export type Phase = 'socket' | 'connect' | 'tls' | 'request' | 'headers' | 'body';

/** Details of a request that failed before its response was complete. */
export interface ConnectionFailure extends MessageParts {
  readonly operation: string;
  readonly phase: Phase;
  /** True if part of the response had arrived. Default: false. */
  readonly replied?: boolean | undefined;
  /** The platform's code, for instance `ECONNREFUSED`. */
  readonly code?: string | undefined;
  readonly cause?: unknown;
}

/** The message of an error, from its facts. Advice in small letters goes on in the same sentence; other advice follows after `joint`. */
export function messageOf(summary: string, { operation = '', advice = '', seeCause = false }: MessageParts, joint: string): string {
  const start = `${operation === '' ? '' : `${operation}: `}${summary}${seeCause ? ' (see cause)' : ''}`;
  return advice === '' ? start : `${start}${/^[a-z]/.test(advice) ? '; ' : joint}${advice}`;
}
