import type {} from 'vitest';
import type { TestProject } from 'vitest/node';
import { startMock } from './prism.ts';

declare module 'vitest' {
  interface ProvidedContext {
    mockUrl: string;
  }
}

/** One mock for all contract tests. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const mock = await startMock();
  project.provide('mockUrl', mock.url);
  return () => mock.close();
}
