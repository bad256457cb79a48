/** Numbers of IRC. */
export const PORT_PLAIN = 6667;
export const PORT_TLS = 6697;
/** What fits into a line of 512 bytes beside the longest names that servers commonly allow. */
export const LINE_BYTES = 400;
