export const programs: readonly {
  readonly title: string;
  readonly target?: number;
  readonly whole?: boolean;
  /** By client. */
  readonly sources: Readonly<Record<string, string>>;
}[];
