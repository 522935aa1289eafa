import type { Authenticate, HandlerOptions } from './options.ts'

/** What `npx @millrace/server` serves. */
export interface ServerConfig extends Omit<HandlerOptions, 'agents' | 'authenticate'> {
  /** The agents, by the name that requests use. Default: none, for a server of `proxy` or `embeddings` alone. */
  agents?: HandlerOptions['agents']
  /**
   * Tells who sends a request. Without it, who sends the key of the server as `authorization: Bearer …` is `local`. The key
   * is that of the environment variable `MILLRACE_KEY`, else a new one, which the command prints. Default: the key.
   */
  authenticate?: Authenticate
  /** The address to listen on. Default: 127.0.0.1, which this machine alone reaches. */
  host?: string
  /** The port to listen on; 0 for any that is free. Default: 3000. */
  port?: number
  /** Milliseconds for answers under way to end, once the process is told to end. Default: 10,000. */
  closeTimeoutMs?: number
}

/** Types the configuration of `npx @millrace/server`: `export default defineConfig({ … })`. */
export function defineConfig(config: ServerConfig): ServerConfig {
  return config
}
