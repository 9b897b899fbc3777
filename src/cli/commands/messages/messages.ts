import type { Handler } from '../../cli.ts';
import { messageSurface } from '../../talk/surfaces/messages.ts';
import { talk } from '../../talk/talk.ts';
import { templated } from '../../talk/template.ts';

export const run: Handler = templated((cli, input) => talk(cli, input, messageSurface));
