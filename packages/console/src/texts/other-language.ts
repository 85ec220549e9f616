/** The texts of the language in which the program was not built, by their ids. The build puts them here. */
import type { Messages } from '@lingui/core';

export const texts: Messages = {};
