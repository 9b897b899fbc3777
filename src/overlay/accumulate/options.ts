/** How an accumulator takes what a model should not have sent. */
export interface AccumulateOptions {
  /** Keep a tool call without a name, or with an input that is not JSON, as it came, for a reader that answers it. Default: false, it throws. */
  readonly keepMalformed?: boolean;
}
