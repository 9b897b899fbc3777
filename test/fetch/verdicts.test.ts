import { describe, expect, test } from 'vitest';
import { failedResponse } from '../../src/fetch/steer.ts';
import { businessCodes } from '../../src/generated/codes.ts';
import { apiError } from '../../src/overlay/errors/failure.ts';
import type { ApiError } from '../../src/overlay/index.ts';

/** The statuses that openai, Anthropic, the AI SDK and LangChain never retry, and those that all of them retry. */
const final = [400, 401, 402, 403, 404, 405, 406, 407, 413];
const retried = [429, 500, 502, 503, 529];

function errorOf(status: number, code: string | undefined): ApiError {
  return apiError(
    { code, message: 'words', requestId: undefined },
    { operation: 'chat.create', surface: 'chat', status, requestId: undefined, secrets: [] },
  );
}

function statusOf(error: ApiError): number {
  return failedResponse(error, { surface: 'chat', bills: true, steersClient: true }).status;
}

describe.each([200, 400, 429, 500])('status %i', (status) => {
  test.each(Object.keys(businessCodes))('code %s has a status that clients retry only if a retry can help', (code) => {
    expect(businessCodes[code]?.retry === 'yes' ? retried : final).toContain(statusOf(errorOf(status, code)));
  });
});

test('every failed status without a code is either retried by all clients or by none', () => {
  const statuses = Array.from({ length: 600 }, (_, index) => 300 + index);
  const wrong = statuses.filter((status) => {
    const sent = statusOf(errorOf(status, undefined));
    return !(status === 429 || status >= 500 ? sent >= 500 || sent === 429 : final.includes(sent));
  });
  expect(wrong).toEqual([]);
});
