// The coding plan as data with a date: it changes more often than this program.
import { serviceRoots } from 'modelsvc/types';
import type { RegionName } from '../hosts.ts';
import type { Protocol } from './tool.ts';

/** Month in which the tables below were true. */
export const planDate = '2026-11';

/** Models that the plan serves. It maps other ids to them. */
export const planModels = { main: 'glm-5.3', small: 'glm-5.3-flash' } as const;

/** Limits of the models of the plan, in tokens. */
export const planLimits = { contextTokens: 1_000_000, outputTokens: 131_072 } as const;

/** Root of a surface. Only the chat surface has a separate endpoint for the plan; the others charge the plan of the key. */
export function rootOf(surface: Protocol, region: RegionName, isPlan: boolean): string {
  if (surface === 'chat') return serviceRoots[isPlan ? 'coding' : 'chat'][region];
  return serviceRoots[surface === 'anthropic' ? 'messages' : surface][region];
}

export function originOf(region: RegionName): string {
  return new URL(serviceRoots.chat[region]).origin;
}
