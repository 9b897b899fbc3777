import type { Route } from '../../generated/routes.ts';
import { responseInfo } from '../call/reply/response-info.ts';
import { ReplyError } from '../errors/errors.ts';
import { withBilled } from '../errors/refusal.ts';

/** The error for a billed reply that lacks a part of what was asked for, with the reply. */
export function unusableReply(route: Pick<Route, 'id'>, problem: ReplyError['problem'], words: string, reply: object): ReplyError {
  const error = new ReplyError(route.id, problem, words, responseInfo(reply)?.requestId, 'The call is billed; error.reply has what arrived.');
  return Object.defineProperty(withBilled(error, 'yes'), 'reply', { value: reply, configurable: true });
}
