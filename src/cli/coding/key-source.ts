/** How a tool gets the key: from a command, from an environment variable, or from its own file. */
export type KeyMode = 'helper' | 'env' | 'plain';

export type KeySource =
  | {
      readonly mode: 'helper';
      /** The program that the line calls. */
      readonly program: string;
      readonly command: string;
      readonly args: readonly string[];
      readonly line: string;
    }
  | { readonly mode: 'env'; readonly variable: string }
  | { readonly mode: 'plain'; readonly apiKey: string };
