/** What is known of the columns of a file by their names. */
import type { Role } from './column-roles.js';

/** The columns of a file by what their names say. */
export interface KnownColumns {
  readonly has: (role: Role) => boolean;
  /** The first column of each of these roles. */
  readonly shown: (...roles: Role[]) => string;
}
