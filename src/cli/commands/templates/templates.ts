import type { Handler } from '../../cli.ts';
import { reportOf } from '../../reports/report.ts';
import { TemplateStore, variablesIn } from '../../settings/templates.ts';
import { shortened } from '../../terminal/width.ts';

export const list: Handler = async (cli) => {
  const store = new TemplateStore(cli.screen.io.env);
  const rows = await Promise.all(
    (await store.names()).map(async (name) => {
      try {
        const { prompt = '', options, defaults } = await store.load(name);
        return { name, variables: variablesIn(prompt, options['system']?.toString()), defaults, prompt };
      } catch (error) {
        // One broken file hides no other.
        return { name, variables: [], problem: (await reportOf(error)).message };
      }
    }),
  );
  await cli.screen.list(rows, [
    { title: 'NAME', text: ({ name }) => name },
    { title: 'VARIABLES', text: ({ variables }) => variables.join(', ') },
    { title: 'PROMPT', text: ({ prompt, problem }) => firstLine(problem ?? prompt ?? '') },
  ]);
};

/** The first line, up to 60 characters. */
function firstLine(text: string): string {
  const [line = ''] = text.split('\n', 1);
  return shortened(line, 60);
}

export const show: Handler = async (cli, input) => {
  const store = new TemplateStore(cli.screen.io.env);
  const text = await store.text(input.arg(0));
  await cli.screen.result(cli.screen.isText ? undefined : await store.load(input.arg(0)), () => cli.screen.clean(text));
};

export const remove: Handler = async (cli, input) => {
  const [store, name] = [new TemplateStore(cli.screen.io.env), input.arg(0)];
  await store.text(name);
  await cli.screen.confirm(`Remove the template ${name}?`);
  await store.remove(name);
};
