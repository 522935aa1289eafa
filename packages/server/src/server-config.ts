import type { Authenticate, HandlerOptions } from './options.ts'

/** What `npx @millrace/server` serves. */
export interface ServerConfig extends Omit<HandlerOptions, 'agents' | 'authenticate'> {
  agents?: HandlerOptions['agents']
  /**
   * Tells who sends a request. Default: who sends the key of the server as `authorization: Bearer …` is `local`. The key
   * is that of the environment variable `MILLRACE_KEY`, else a new one, which the command prints.
   */
  authenticate?: Authenticate
  /** The address to listen on. Default: 127.0.0.1, which this machine alone reaches. */
  host?: string
  /** Default: 3000; 0 for any that is free. */
  port?: number
  /** Milliseconds for answers under way to end, once the process is told to end. Default: 10,000. */
  closeTimeoutMs?: number
}

/** Types the configuration of `npx @millrace/server`: `export default defineConfig({ … })`. */
export function defineConfig(config: ServerConfig): ServerConfig {
  return config
}
