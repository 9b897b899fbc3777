// The reply to a request that a recording does not have.

/** No client retries it, and the service never sends it. */
export const missingStatus = 417;

export const missingHeaders: Readonly<Record<string, string>> = { 'x-should-retry': 'false' };

/** In the form of the errors of every surface. */
export function missingBody(message: string): object {
  return { type: 'error', error: { type: 'not_recorded', code: 'not_recorded', message } };
}
