import type { Reporter, TestCase, TestSpecification } from 'vitest/node';

const intervalMs = 15_000;

/** Prints each failure at once, and where the output is not a terminal a line of progress. The default reporter prints errors at the end. */
export default class Progress implements Reporter {
  #files = 0;
  #ended = 0;
  #failed = 0;
  #timer: NodeJS.Timeout | undefined;

  onTestRunStart(specifications: readonly TestSpecification[]): void {
    this.#files = specifications.length;
    console.log(`${this.#files} test files`);
    if (!process.stdout.isTTY)
      this.#timer = setInterval(() => console.log(`${this.#ended} of ${this.#files} files, ${this.#failed} tests failed`), intervalMs).unref();
  }

  onTestCaseResult(test: TestCase): void {
    const { state, errors = [] } = test.result();
    if (state !== 'failed') return;
    this.#failed++;
    const reasons = errors.map(({ message }) => message.slice(0, 2000).replaceAll('\n', '\n  '));
    console.log(`FAILED ${test.module.relativeModuleId} > ${test.fullName}\n  ${reasons.join('\n  ')}`);
  }

  onTestModuleEnd(): void {
    this.#ended++;
  }

  onTestRunEnd(): void {
    clearInterval(this.#timer);
  }
}
