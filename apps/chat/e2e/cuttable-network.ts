import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net'

/** A proxy to the server that can close all connections, like a lost network. */
export class CuttableNetwork {
  readonly url: string
  readonly #server: Server
  readonly #sockets: Set<Socket>
  readonly #state: { isCut: boolean }

  private constructor(server: Server, sockets: Set<Socket>, state: { isCut: boolean }) {
    this.#server = server
    this.#sockets = sockets
    this.#state = state
    this.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  }

  static async to(url: string): Promise<CuttableNetwork> {
    const { hostname, port } = new URL(url)
    const sockets = new Set<Socket>()
    const state = { isCut: false }
    const server = createServer((client) => {
      if (state.isCut) return void client.destroy()
      const upstream = connect(Number(port), hostname)
      for (const [socket, other] of [
        [client, upstream],
        [upstream, client],
      ] as const) {
        sockets.add(socket)
        socket.pipe(other)
        socket.on('error', () => other.destroy())
        socket.on('close', () => {
          sockets.delete(socket)
          other.destroy()
        })
      }
    }).listen(0, '127.0.0.1')
    await once(server, 'listening')
    return new CuttableNetwork(server, sockets, state)
  }

  cut(): void {
    this.#state.isCut = true
    for (const socket of this.#sockets) socket.destroy()
  }

  restore(): void {
    this.#state.isCut = false
  }

  async close(): Promise<void> {
    this.cut()
    this.#server.close()
    await once(this.#server, 'close')
  }
}
