import { banner, type Source } from '../document/source.ts';
import { type FileRow, modelRows } from './models.ts';

/**
 * The number of output tokens above which the service refuses a request. The probe covered the models of the enum, and glm-4-long. The limits
 * of the other rows are from older pages, and not known to be enforced.
 */
export function outputLimit(row: FileRow): number | undefined {
  const { kind, status, source } = row;
  const isProbed = kind === 'chat' && (status !== 'old' || source.some((one) => one.includes('probe')));
  return isProbed ? (row.enforced_output_tokens ?? row.max_output_tokens) : undefined;
}

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
