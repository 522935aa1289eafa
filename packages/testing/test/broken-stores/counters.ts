import { type BrokenStores, pause } from './broken-store.ts'

export const counters: BrokenStores = {
  'counts no lower than 0': {
    breaks: ['counts up and down from 0'],
    mistake: (store) => ({
      addToCounter: async (options) => {
        const counter = await store.addToCounter(options)
        return counter.value < 0 ? store.addToCounter({ ...options, amount: -counter.value }) : counter
      },
    }),
  },
  'fills a counter up to its limit': {
    breaks: ['adds nothing that would exceed the limit', 'sets no expiry if nothing was added'],
    mistake: (store) => ({
      addToCounter: async (options) => {
        const counter = await store.addToCounter(options)
        if (counter.added || options.limit === undefined || counter.value >= options.limit) return counter
        return store.addToCounter({ ...options, amount: options.limit - counter.value })
      },
    }),
  },
  'adds to a counter in two steps': {
    breaks: ['admits exactly the limit of concurrent additions', 'loses no concurrent addition'],
    mistake: (store) => ({
      addToCounter: async (options) => {
        if (!Number.isSafeInteger(options.amount)) return store.addToCounter(options)
        const before = await store.addToCounter({ ...options, amount: 0 })
        await pause()
        const now = await store.addToCounter({ ...options, amount: 0 })
        const lost = now.value - before.value
        const counter = await store.addToCounter({ ...options, amount: options.amount })
        return lost > 0 ? store.addToCounter({ ...options, limit: undefined, amount: -lost }) : counter
      },
    }),
  },
  'compares with the limit in one step and adds in another': {
    breaks: ['admits exactly the limit of concurrent additions'],
    mistake: (store) => ({
      addToCounter: async (options) => {
        const { limit, ...rest } = options
        if (limit === undefined || !Number.isSafeInteger(limit) || options.amount <= 0)
          return store.addToCounter(options)
        const before = await store.addToCounter({ ...rest, amount: 0 })
        if (before.value + options.amount > limit) return { ...before, added: false }
        await pause()
        return store.addToCounter(rest)
      },
    }),
  },
  'begins the time of a counter anew with every addition': {
    breaks: ['resets a counter when it expires'],
    mistake: (store) => ({
      addToCounter: async (options) => {
        const counter = await store.addToCounter(options)
        if (!counter.expiresAt || !options.expiresIn) return counter
        return { ...counter, expiresAt: new Date(Date.now() + options.expiresIn) }
      },
    }),
  },
  'never begins a counter anew': {
    breaks: ['resets a counter when it expires'],
    mistake: (store) => ({
      addToCounter: async ({ expiresIn, ...options }) => {
        if (expiresIn === 1) return store.addToCounter({ ...options, amount: options.amount })
        return store.addToCounter({ ...options, expiresIn })
      },
    }),
  },
  'begins the time of a counter though nothing was added': {
    breaks: ['sets no expiry if nothing was added'],
    mistake: (store) => {
      const begun = new Map<string, Date>()
      return {
        addToCounter: async (options) => {
          const { resourceId, key, expiresIn } = options
          const counter = await store.addToCounter(options)
          const name = `${resourceId} ${key}`
          if (expiresIn && !counter.added) begun.set(name, new Date(Date.now() + expiresIn))
          const expiresAt = begun.get(name)
          return { ...counter, ...(expiresAt && { expiresAt }) }
        },
      }
    },
  },
  'rounds amounts': {
    breaks: ['refuses amounts and values that are not safe integers'],
    mistake: (store) => ({
      addToCounter: (options) =>
        store.addToCounter({ ...options, amount: Math.round(Math.min(Number(options.amount) || 0, 1e15)) }),
    }),
  },
  'takes an empty value for none': {
    breaks: ['keeps the value of a key until it is set again or deleted'],
    mistake: (store) => ({ getKey: async (options) => (await store.getKey(options)) || undefined }),
  },
  'looks for a key in one step and sets it in another': {
    breaks: ['sets a key only once if it must be absent'],
    mistake: (store) => ({
      setKey: async ({ ifAbsent, ...options }) => {
        if (ifAbsent && (await store.getKey(options)) !== undefined) return false
        if (ifAbsent) await pause()
        return store.setKey(options)
      },
    }),
  },
  'forgets a key a second late, and no sooner when it is set anew': {
    breaks: ['deletes a key when it expires'],
    mistake: (store) => {
      const gone = new Set<string>()
      return {
        setKey: async (options) => {
          if (options.ifAbsent && gone.has(options.key)) return false
          if (options.expiresIn !== undefined) gone.add(options.key)
          return store.setKey(options)
        },
      }
    },
  },
  'keeps the time of a key when it is set anew': {
    breaks: ['takes the expiry of a key from its last value'],
    mistake: (store) => {
      const times = new Map<string, number>()
      return {
        setKey: (options) => {
          if (options.expiresIn !== undefined) times.set(options.key, options.expiresIn)
          const expiresIn =
            options.expiresIn ?? (options.value === 'lasting' ? times.get(options.key) : undefined)
          return store.setKey({ ...options, expiresIn })
        },
        getKey: async (options) => {
          if (times.get(options.key) === 1)
            await pause().then(() => new Promise((resolve) => setTimeout(resolve, 2)))
          return store.getKey(options)
        },
      }
    },
  },
  'keeps keys where it keeps counters': {
    breaks: ['keeps a key and a counter with the same name apart'],
    mistake: (store) => ({
      deleteKey: async (options) => {
        const { value } = await store.addToCounter({ ...options, amount: 0 })
        if (value !== 0) await store.addToCounter({ ...options, amount: -value })
        return store.deleteKey(options)
      },
    }),
  },
  'cuts long values': {
    breaks: ['returns any text that a key can have'],
    mistake: (store) => ({
      setKey: (options) =>
        store.setKey({
          ...options,
          value: options.value?.length > 65_535 ? options.value.slice(0, 65_535) : options.value,
        }),
    }),
  },
}
