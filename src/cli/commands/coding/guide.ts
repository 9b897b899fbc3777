import { passedPlace } from '../../accounts/credentials.ts';
import type { Handler } from '../../cli.ts';
import { toolNamed } from '../../coding/tools/index.ts';
import { wiringFor } from '../../coding/wiring.ts';
import { CliError, exitCodes } from '../../errors/exit.ts';
import type { CredentialSource } from '../../hosts.ts';

export const run: Handler = async (cli, input) => {
  const tool = toolNamed(input.arg(0));
  if (!tool.guide) throw new CliError(`${tool.name} needs no steps by hand`, exitCodes.usage, `Run \`modelsvc coding load ${tool.id}\`.`);
  // The steps contain no key, so they need no account.
  const credential: CredentialSource = await cli.make.credential().catch(() => ({ apiKey: '', from: 'no key', ...passedPlace(cli) }));
  const wiring = wiringFor(cli, tool, credential, { model: input.text('model') });
  const steps = tool.guide(wiring);
  await cli.screen.result({ tool: tool.id, name: tool.name, steps }, () =>
    cli.screen.clean(steps.length === 1 ? steps.join('') : steps.map((step, at) => `${at + 1}. ${step}`).join('\n')),
  );
};
