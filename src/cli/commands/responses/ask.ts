import type { Handler } from '../../cli.ts';
import { responsesSurface } from '../../talk/responses-surface.ts';
import { talk } from '../../talk/talk.ts';

export const run: Handler = (cli, input) => talk(cli, input, responsesSurface);
