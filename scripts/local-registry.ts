import { existsSync, mkdirSync } from 'node:fs'
import type { Server } from 'node:http'
import { createRequire } from 'node:module'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { root } from './published-packages.ts'

export interface LocalRegistry {
  /** The lines of an `.npmrc` that send the scope there, for reading and publishing. All else stays as it is. */
  readonly npmrc: string
  close(): void
}

/**
 * Starts an empty Verdaccio on a free port of loopback. It serves one scope and asks no other registry.
 *
 * @param folder Where it keeps what is published
 * @throws Error if Verdaccio is not installed
 */
export async function startLocalRegistry(scope: string, folder: string): Promise<LocalRegistry> {
  const home = join(root, 'scripts/registry')
  if (!existsSync(join(home, 'node_modules')))
    throw new Error('Run `pnpm release:test`, which installs Verdaccio.')
  const { runServer }: Verdaccio = createRequire(join(home, 'package.json'))('verdaccio')
  mkdirSync(folder, { recursive: true })
  const server = await runServer({
    storage: folder,
    configPath: join(folder, 'config.yaml'),
    uplinks: {},
    packages: { [`${scope}/*`]: { access: '$all', publish: '$all' } },
    auth: { htpasswd: { file: join(folder, 'htpasswd'), max_users: -1 } },
    web: { enable: false },
    log: { type: 'stdout', format: 'pretty', level: 'fatal' },
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    // npm publishes with a token only; this registry takes any.
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
