// Whether a command would keep a process alive, found inside a process that has other work: servers, sockets and timers of the test.
import { AsyncLocalStorage, createHook } from 'node:async_hooks';

/** A handle or a timer: it keeps a process alive as long as it is open and referenced. */
interface Handle {
  hasRef(): boolean;
  /** True for a timer that has fired or was cleared. It keeps its reference. */
  readonly _destroyed?: boolean;
  /** Of a timer: milliseconds from its start to the moment when it fires, and of an interval from then on. */
  readonly _idleTimeout?: number;
  readonly _repeat?: number | null;
}

interface Made {
  readonly handle: Handle;
  readonly type: string;
  /** Its stack names the place. Node writes a stack when it is read, which takes long. */
  readonly trace: Error;
}

/** The handles made by the command that runs. A connection that a server of the test accepts belongs to the server. */
const commands = new AsyncLocalStorage<Made[]>();

const hook = createHook({
  init(_id, type, _trigger, resource) {
    if (isHandle(resource)) commands.getStore()?.push({ handle: resource, type, trace: new Error('place') });
  },
});

function isHandle(resource: object): resource is Handle {
  return 'hasRef' in resource && typeof resource.hasRef === 'function';
}

/** A handle with the first line of the code that made it that is neither Node's nor of the harness. */
function named({ type, trace }: Made): string {
  const lines = trace.stack?.split('\n').slice(1) ?? [];
  return `${type} made ${lines.find((line) => !/node:|loopback-only|liveness\.ts/.test(line))?.trim() ?? 'by Node'}`;
}

/** True while the system works on a request: of files, names or writes. It ends by itself. */
function hasRequests(): boolean {
  return process.getActiveResourcesInfo().some((type) => /Req/.test(type));
}

/** Turns of the event loop that a handle gets to close, without a request at work. */
const turnsToClose = 100;
/** A timer of so many milliseconds is a wait with an end, such as the one for the end of a finished stream. It may keep a process alive. */
const briefMs = 250;
/** Looks at a command without handles and requests: none is left that could wake it. */
const looks = 100;
const lookMs = 20;

/**
 * Runs a command. `left` names the handles that would keep a process alive after it. Rejects if the command waits for an event that
 * cannot come, for which Node ends a process with code 13.
 */
export async function liveness<T>(name: string, command: () => Promise<T>): Promise<{ readonly result: T; readonly left: readonly string[] }> {
  const made: Made[] = [];
  const alive = (): Made[] => made.filter(({ handle }) => handle._destroyed !== true && handle.hasRef());
  let idle = 0;
  let timer: NodeJS.Timeout | undefined;
  hook.enable();
  try {
    const stuck = new Promise<never>((_, reject) => {
      timer = setInterval(() => {
        idle = alive().length === 0 && !hasRequests() ? idle + 1 : 0;
        if (idle === looks) reject(new Error(`${name} never ends: it waits, and has no timer, socket or request that could wake it`));
      }, lookMs);
    });
    const result = await Promise.race([commands.run(made, command), stuck]);
    const waits = alive().filter(({ handle: { _idleTimeout = Infinity, _repeat } }) => _idleTimeout <= briefMs && typeof _repeat !== 'number');
    const isWaiting = (): boolean => hasRequests() || waits.some(({ handle }) => handle._destroyed !== true && handle.hasRef());
    for (let turns = 0; turns < turnsToClose && (alive().length > 0 || hasRequests()); ) {
      await new Promise((resolve) => setImmediate(resolve));
      if (!isWaiting()) turns++;
    }
    return { result, left: alive().map(named) };
  } finally {
    clearInterval(timer);
    hook.disable();
  }
}
