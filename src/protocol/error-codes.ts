/**
 * The numbers of errors on the wire. Generic ones are JSON-RPC's; 4xxx means that what was asked cannot be, 5xxx that
 * it was tried and failed. Terminal clients print the message and look at nothing else, except for the words `session
 * busy`; the numbers are for programs. One number has several names where the clients' protocol uses it for several things.
 */
export const ERROR_CODES = {
  unparsable: -32_700,
  badFrame: -32_600,
  unknownMethod: -32_601,
  badParams: -32_602,
  internal: -32_603,
  handlerFailed: -32_000,

  badArgument: 4000,
  /** The session is not live on this host, or there is none of that name. */
  notLive: 4001,
  unknownKey: 4002,
  emptySteer: 4002,
  emptyText: 4004,
  /** A shell command that is too dangerous to run unasked. */
  dangerous: 4005,
  noSessionId: 4006,
  notFound: 4007,
  nothingToBranch: 4008,
  /** Its message holds the words `session busy`: clients then queue the text and send it again. */
  busy: 4009,
  nothingPending: 4009,
  cannotSteer: 4010,
  unknownCommandName: 4011,
  noBackgroundText: 4012,
  noProcessId: 4012,
  noPath: 4015,
  badPath: 4016,
  badFile: 4017,
  useDispatch: 4018,
  unknownCommand: 4018,
  /** An edit of a user turn that does not exist. */
  noSuchTurn: 4018,
  emptyTitle: 4021,
  badTitle: 4022,
  stillLive: 4023,
  /** Part of the protocol, and nothing Talaria has. */
  notAvailable: 4040,
  unknownInput: 4041,
  noSuchProcess: 4044,
  sessionLimit: 4090,
  queueFull: 4091,
  /** The host is on its way out; what was said is not stored. */
  shuttingDown: 4092,

  failed: 5000,
  shellFailed: 5001,
  shellTimedOut: 5002,
  answerFailed: 5004,
  compressFailed: 5005,
  listFailed: 5006,
  titleFailed: 5007,
  branchFailed: 5008,
  processFailed: 5010,
  saveFailed: 5011,
  configFailed: 5013,
  catalogFailed: 5020,
  pathCompletionFailed: 5021,
  attachFailed: 5027,
  commandFailed: 5030,
  /** No model can be asked as things are configured. */
  agentFailed: 5032,
  modelsFailed: 5033,
  deleteFailed: 5036,
} as const satisfies Record<string, number>;

export type ErrorName = keyof typeof ERROR_CODES;

/** What an error frame carries. */
export interface RpcError {
  readonly code: number;
  readonly message: string;
}

/** Clients wait for these words before they send a text again. */
export const BUSY_MESSAGE = "session busy";
export const NOT_AVAILABLE_MESSAGE = "not available";

export function rpcError(name: ErrorName, message: string): RpcError {
  return { code: ERROR_CODES[name], message };
}

/** An answer that says no, on its way to whoever sends it. */
export class AnswerError extends Error {
  override readonly name = "AnswerError";
  constructor(readonly error: RpcError) {
    super(error.message);
  }
}
