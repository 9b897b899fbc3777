/** `npm run build`: the command of tsdown, without its notes on the version of Node. */
import { build } from 'tsdown';

await build({ logLevel: 'warn' });
