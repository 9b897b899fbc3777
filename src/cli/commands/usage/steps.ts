// The figures of a usage reply. Undefined is not told, and never 0.

/** One step of a usage series. */
export interface UsageStep {
  /** Label of the service, on its clock (UTC+8): `yyyy-MM-dd HH:mm`, with seconds for credits, or `yyyy-MM-dd` for a day. */
  readonly label: string;
  readonly value: number | undefined;
}

/** The steps of a reply with the values of one of its series. The series may be shorter than the labels. Empty for an account without a plan. */
export function stepsOf(data: { readonly x_time?: unknown; readonly xTime?: unknown } | null | undefined, series: unknown): UsageStep[] {
  const labels = data?.xTime ?? data?.x_time;
  if (!Array.isArray(labels)) return [];
  return labels.map((label, index) => ({
    label: typeof label === 'string' ? label : '',
    value: Array.isArray(series) ? countOf(series[index]) : undefined,
  }));
}

/** A number, as such or as a decimal string. Undefined for blank text, for what no use can be, such as a negative number, and for other values. */
export function countOf(value: unknown): number | undefined {
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
  return typeof number === 'number' && number >= 0 && number <= Number.MAX_SAFE_INTEGER ? number : undefined;
}
