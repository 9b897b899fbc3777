import { modelRows, outputLimit } from '../document/models.ts';
import { banner, type Source } from '../document/source.ts';

/** The file with the refusals of the service by model, for the fake. */
export function refusalsFile(source: Source): string {
  const rows = modelRows(source);
  const limits = rows.flatMap((row) => {
    const most = outputLimit(row);
    return most === undefined ? [] : [[row.id, most] as const];
  });
  const idsWith = (refusal: string): string => JSON.stringify(rows.filter(({ refuses }) => refuses?.includes(refusal)).map(({ id }) => id));
  return `${banner}
/** Largest \`max_tokens\` that chat accepts on the platform root. Absent if no probe has shown it. */
export const outputLimits: Readonly<Record<string, number>> = ${JSON.stringify(Object.fromEntries(limits))};

/** Chat models that no coding plan includes: the coding root refuses them with code 1311. */
export const outsidePlans: readonly string[] = ${idsWith('plan')};

/** Models with which chat refuses every \`tool_choice\` but \`auto\`, with code 1210. */
export const withoutToolChoice: readonly string[] = ${idsWith('tool_choice')};
`;
}
