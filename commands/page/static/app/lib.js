// The libraries, which are loaded as published: each defines one global name.
const { h, render, createContext } = window.preact;
const { useEffect, useMemo, useRef, useState, useCallback, useContext } = window.preactHooks;

export const html = window.htm.bind(h);
export { h, render, createContext, useEffect, useMemo, useRef, useState, useCallback, useContext };
