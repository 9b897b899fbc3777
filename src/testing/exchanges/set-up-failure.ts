// Failures of a key or an account, which a first run has by accident and every replay would repeat.
import type { ErrorCategory } from '../../generated/codes.ts';
import { businessCode, categoryOfStatus, failureIn } from '../../overlay/errors/failure.ts';
import { jsonOrUndefined } from '../../overlay/json/json-value.ts';
import type { ExchangeResponse } from './form.ts';

const ofSetUp: readonly ErrorCategory[] = ['auth', 'account', 'billing', 'permission'];

/** Status and code of such a failure, also one inside status 200 or a stream. Undefined for other replies. */
export function setUpFailure({ status, body, text, frames = [] }: ExchangeResponse): string | undefined {
  const bodies = [body ?? jsonOrUndefined(text ?? ''), ...frames.map(({ data }) => jsonOrUndefined(data ?? ''))];
  const code = bodies.map((one) => failureIn(one)?.code).find((one) => one !== undefined);
  const category = businessCode(code)?.category ?? (status >= 400 ? categoryOfStatus(status) : undefined);
  if (category === undefined || !ofSetUp.includes(category)) return undefined;
  return [`status ${status}`, ...(code === undefined ? [] : [`code ${code}`])].join(', ');
}
