/** The part of irc-framework that is used here; the library comes without types. */
declare module "irc-framework" {
  import type { EventEmitter } from "node:events";

  export interface IrcMessage {
    readonly command: string;
    readonly params: readonly string[];
    readonly tags: Readonly<Record<string, string | undefined>>;
    readonly prefix: string;
    readonly nick: string;
    readonly ident: string;
    readonly hostname: string;
  }

  export interface ClientOptions {
    host: string;
    port: number;
    tls: boolean;
    rejectUnauthorized: boolean;
    nick: string;
    username: string;
    gecos: string;
    password?: string;
    account: { account?: string; password?: string };
    auto_reconnect: boolean;
    version: string | null;
    ping_interval: number;
    ping_timeout: number;
    enable_echomessage: boolean;
    sasl_disconnect_on_fail: boolean;
  }

  export class Client {
    constructor(options: ClientOptions);
    readonly user: { readonly nick: string; readonly username: string; readonly host: string };
    readonly connected: boolean;
    readonly connection: EventEmitter & {
      readonly transport: { close(isForced: boolean): void; disposeSocket(): void } | null;
      clearTimers(): void;
    };
    readonly command_handler: { dispatch(message: IrcMessage): void };
    connect(): void;
    raw(line: string): void;
    quit(why: string): void;
    on(event: string, act: (...given: never[]) => void): this;
    removeAllListeners(): this;
  }

  const library: { readonly Client: typeof Client };
  // biome-ignore lint/style/noDefaultExport: that is how a CommonJS module appears.
  export default library;
}
