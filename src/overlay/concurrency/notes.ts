// Facts for the gates on a context. Their names are symbols: copies of the context keep them, and the check for unknown fields ignores them.
import type { Context } from '../context.ts';

/** The turn in line that all calls of one tool loop share: their ticket. */
export interface Ticket {
  number?: number;
}

/** Called with the number of places of the gate that are taken. */
export type OnGranted = (inFlight: number) => void;

interface Notes {
  readonly [ticket]?: Ticket;
  readonly [granted]?: OnGranted;
}

const ticket: unique symbol = Symbol.for('modelsvc.ticket') as never;
const granted: unique symbol = Symbol.for('modelsvc.granted') as never;

/** All calls with this context share a ticket. */
export function withTicket(ctx: Context, shared: Ticket): Context {
  return Object.freeze({ ...ctx, [ticket]: shared });
}

export function ticketOf(ctx: Context): Ticket {
  return (ctx as Notes)[ticket] ?? {};
}

/** `onGranted` is called when an attempt with this context gets its place. Without a gate it is never called. */
export function withGranted(ctx: Context, onGranted: OnGranted): Context {
  return Object.freeze({ ...ctx, [granted]: onGranted });
}

export function grantedOf(ctx: Context): OnGranted | undefined {
  return (ctx as Notes)[granted];
}
