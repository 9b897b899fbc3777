// Notes on a context for the gates. They are symbols, so that copies of the context keep them and checks of its fields pass them.
import type { Context } from '../context.ts';

/** The place in line that all calls of one run share. */
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
