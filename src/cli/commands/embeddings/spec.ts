import { embeddingsCreate } from '../../../generated/options.ts';
import type { Command } from '../../cli.ts';
import { modelOption, withFields } from '../../table/with-fields.ts';

export const spec: Command = {
  name: 'embeddings',
  summary: 'Convert texts to vectors',
  examples: [['embeddings create "rain" "snow"', 'Two vectors']],
  commands: [
    withFields(embeddingsCreate, {
      name: 'create',
      summary: 'Convert texts to vectors',
      details:
        'Texts are the arguments, or the lines of --input or stdin. A line of a .jsonl file is a JSON string, or an object with the field text or input; its id is kept. The result has one line of JSON for each text.',
      arguments: [{ name: 'TEXT', field: 'input', summary: 'Text to convert', variadic: true }],
      options: [
        { name: 'input', short: 'i', kind: 'text', value: 'FILE', summary: 'File with one text a line, or JSON lines; - is stdin', complete: 'file' },
        modelOption('embedding-3'),
        { field: 'dimensions', default: 'the one of the model' },
      ],
      examples: [
        ['embeddings create "rain" "snow" --dimensions 256', 'Two short vectors'],
        ['embeddings create -i texts.txt > vectors.jsonl', 'A vector for each line of a file'],
      ],
      load: async () => (await import('./create.ts')).run,
    }),
  ],
};
