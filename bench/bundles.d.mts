export const programs: readonly {
  readonly title: string;
  readonly target?: number;
  readonly whole?: boolean;
  /** By client. */
  readonly sources: Readonly<Record<string, string>>;
}[];

/** The classes for `newService`, by name. */
export const services: readonly string[];
export function oneService(name: string): string;
