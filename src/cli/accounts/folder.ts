// The folders of the store and of state. No variable or file may place it relative to the working directory.
import { homedir, userInfo } from 'node:os';
import { isAbsolute, join } from 'node:path';
import { usageError } from '../errors/exit.ts';

/** `$SVC_CONFIG_DIR`, `$XDG_CONFIG_HOME/modelsvc`, `%APPDATA%\modelsvc` on Windows, `~/.config/modelsvc`. */
export function storeFolder(env: NodeJS.ProcessEnv, platform: NodeJS.Platform = process.platform): string {
  const own = env['SVC_CONFIG_DIR'];
  if (own) {
    if (!isAbsolute(own))
      throw usageError(`SVC_CONFIG_DIR must be an absolute path, not ${JSON.stringify(own)}`, 'Set an absolute path, or unset it.');
    return own;
  }
  // Relative paths are ignored, as the XDG specification demands.
  const xdg = env['XDG_CONFIG_HOME'];
  if (xdg && isAbsolute(xdg)) return join(xdg, 'modelsvc');
  const roaming = env['APPDATA'];
  if (platform === 'win32' && roaming && isAbsolute(roaming)) return join(roaming, 'modelsvc');
  return join(homeFolder(), '.config', 'modelsvc');
}

/** The folder for state: `$XDG_STATE_HOME/modelsvc`, `~/.local/state/modelsvc`, or `%LOCALAPPDATA%\modelsvc` on Windows. */
export function stateFolder(env: NodeJS.ProcessEnv): string {
  const xdg = env['XDG_STATE_HOME'] ?? '';
  if (isAbsolute(xdg)) return join(xdg, 'modelsvc');
  if (process.platform === 'win32') return join(env['LOCALAPPDATA'] ?? join(homeFolder(), 'AppData', 'Local'), 'modelsvc');
  return join(homeFolder(), '.local', 'state', 'modelsvc');
}

/** The home folder of the user. An empty or relative HOME does not count: it would place the files in the working directory. */
export function homeFolder(): string {
  for (const place of [homedir, () => userInfo().homedir]) {
    const home = found(place);
    if (home !== undefined && isAbsolute(home)) return home;
  }
  throw usageError('there is no home folder: HOME is not an absolute path, and the system has no entry for the user', 'Set HOME.');
}

/** Node throws for a user without an entry in the system, for instance in a container. */
function found(place: () => string): string | undefined {
  try {
    return place();
  } catch {
    return undefined;
  }
}
