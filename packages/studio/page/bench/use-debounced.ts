import { useEffect, useState } from 'react'

/** Returns the value after it has not changed for some milliseconds. */
export function useDebounced<VALUE>(value: VALUE, waitMs: number): VALUE {
  const [settled, setSettled] = useState(value)
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), waitMs)
    return () => clearTimeout(timer)
  }, [value, waitMs])
  return settled
}
