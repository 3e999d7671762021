// The libraries, which are loaded as published: each defines one global name.
const { h, render, createContext } = window.preact;
const { useEffect, useLayoutEffect, useMemo, useRef, useState, useCallback, useContext } = window.preactHooks;

export const html = window.htm.bind(h);
export { h, render, createContext };
export { useEffect, useLayoutEffect, useMemo, useRef, useState, useCallback, useContext };
