import type { TalkSurface } from '../exchange.ts';
import type { SurfaceName } from '../question.ts';
import { chatSurface } from './chat.ts';
import { messageSurface } from './messages.ts';
import { responsesSurface } from './responses.ts';

export const surfaces: Readonly<Record<SurfaceName, TalkSurface>> = { chat: chatSurface, messages: messageSurface, responses: responsesSurface };
