/** How the reason begins for an encoding that the file itself declares. */
export const DECLARED = 'The XML declaration says';
