/** How costs are told, for commands: faces know no layer below this one. */
export { costOf, costText, formatCost } from "#command/about/cost-text.js";
