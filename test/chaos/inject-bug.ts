/**
 * Loaded before a process of a chaos run (`--import`): it changes a module while that is loaded, so that the run can
 * show that it finds the bug. The product itself has no switch for this.
 */
import { register } from 'node:module';

if (process.env.NODE_ENV === 'production') throw new Error('a bug cannot be injected in production');
register('./injected-bugs.js', import.meta.url);
