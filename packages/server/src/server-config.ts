import { type OptionNames, requireOptions } from '@millrace/core'
import { type Authenticate, HANDLER_OPTIONS, type HandlerOptions } from './options.ts'

/** The configuration of `npx @millrace/server`. */
export interface ServerConfig extends Omit<HandlerOptions, 'agents' | 'authenticate'> {
  /** The agents, by the name that requests use. Default: none; then `proxy` or `embeddings` is required. */
  agents?: HandlerOptions['agents']
  /**
   * Identifies the caller of a request. Without it, a request with the server's key as `authorization: Bearer
   * …` has the `resourceId` `local`. The key is the environment variable `MILLRACE_KEY`, or a new one that
   * the command prints. Default: the key.
   */
  authenticate?: Authenticate
  /** The address to listen on. Default: 127.0.0.1, which only this machine can reach. */
  host?: string
  /** The port to listen on; 0 for any free port. Default: 3000. */
  port?: number
  /** Milliseconds for answers in progress to finish after SIGTERM or SIGINT. Default: 10,000. */
  closeTimeoutMs?: number
}

const SERVER_CONFIG: OptionNames<ServerConfig> = {
  ...HANDLER_OPTIONS,
  agents: 'optional',
  authenticate: 'optional',
  host: 'optional',
  port: 'optional',
  closeTimeoutMs: 'optional',
}

/**
 * Types the configuration of `npx @millrace/server`: `export default defineConfig({ … })`.
 *
 * @throws MillraceError `CONFIG_INVALID` for an unknown option
 */
export function defineConfig(config: ServerConfig): ServerConfig {
  return readConfig('defineConfig()', config)
}

/** @throws MillraceError `CONFIG_INVALID` for an unknown option */
export function readConfig(subject: string, config: ServerConfig): ServerConfig {
  return requireOptions(subject, config, SERVER_CONFIG)
}
