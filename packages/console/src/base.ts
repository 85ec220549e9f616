/** Where the system is: its address without a slash at its end, which is empty unless a proxy serves it below a path. */
export const BASE = document.querySelector<HTMLMetaElement>('meta[name=longshore-base]')?.content ?? '';
