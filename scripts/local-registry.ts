import { existsSync, mkdirSync } from 'node:fs'
import type { Server } from 'node:http'
import { createRequire } from 'node:module'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { root } from './published-packages.ts'

export interface LocalRegistry {
  /** The lines of an `.npmrc` that use this registry for the scope. Other packages are not affected. */
  readonly npmrc: string
  readonly url: string
  close(): void
}

export interface LocalRegistryOptions {
  /** A registry for all other packages. Default: none. */
  readonly upstream?: string
  /** Packages without the scope that are published here. Default: none. */
  readonly names?: readonly string[]
}

/**
 * Starts an empty Verdaccio on a free port of loopback. It serves one scope, and by default uses no other registry.
 *
 * @param folder Where it stores packages
 * @throws Error if Verdaccio is not installed
 */
export async function startLocalRegistry(
  scope: string,
  folder: string,
  { upstream, names = [] }: LocalRegistryOptions = {},
): Promise<LocalRegistry> {
  const home = join(root, 'scripts/registry')
  if (!existsSync(join(home, 'node_modules')))
    throw new Error('Run `pnpm e2e release`, which installs Verdaccio.')
  const { runServer }: Verdaccio = createRequire(join(home, 'package.json'))('verdaccio')
  mkdirSync(folder, { recursive: true })
  const server = await runServer({
    storage: folder,
    configPath: join(folder, 'config.yaml'),
    uplinks: upstream === undefined ? {} : { upstream: { url: upstream } },
    packages: {
      ...Object.fromEntries(
        [`${scope}/*`, ...names].map((name) => [name, { access: '$all', publish: '$all' }]),
      ),
      ...(upstream !== undefined && { '**': { access: '$all', proxy: 'upstream' } }),
    },
    auth: { htpasswd: { file: join(folder, 'htpasswd'), max_users: -1 } },
    web: { enable: false },
    log: { type: 'stdout', format: 'pretty', level: 'fatal' },
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    url: `http://${host}/`,
    // npm needs a token to publish; this registry accepts any.
    npmrc: `${scope}:registry=http://${host}/\n//${host}/:_authToken=anyone\n`,
    close() {
      server.close()
      server.closeAllConnections()
    },
  }
}

interface Verdaccio {
  runServer(config: object): Promise<Server>
}
